/// Grows in the commits that follow.
