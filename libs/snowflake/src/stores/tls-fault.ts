/**
 * Matches what Node and OpenSSL say if a certificate or the protocol is wrong. These errors persist until somebody acts: an unknown
 * authority, another host name, a certificate that has expired or that the server demands, a server without TLS.
 */
export const TLS_FAULT =
  /\bcertificate\b|\bwrong version number\b|\bunsupported protocol\b|\balert (handshake failure|unknown ca|protocol version|unrecognized name|access denied)\b/i;

/** What to do about it. */
export const TLS_REMEDY =
  'Correct the CA, the host name or the TLS options of this client, or turn TLS on in the server. If the certificate is not valid yet or any ' +
  'more, check the clock of this host as well.';
