/// The seeds that tests of random values run with; each prints with a failure as its argument.
let seeds: [UInt64] = Array(1...20)
