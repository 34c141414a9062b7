// Nothing to call: the library is preloaded (LD_PRELOAD) into the server that is measured.
