internal import TLS
