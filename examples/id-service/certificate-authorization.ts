// Authorizes the clients of an ID service by their certificates. Pass it as the option `authorize`.
import type { TLSSocket } from 'node:tls';
import type { ServiceAuthorization, ServiceScope } from 'nestjs-snowflake-service';

/** What clients may do, by the common name of their certificate. */
const GRANTS = new Map<string, readonly ServiceScope[]>([
  ['billing', ['ids', 'read']],
  ['edge', ['leases']],
]);

export const authorizeByCertificate: ServiceAuthorization = ({ request, scope }) => {
  const { socket } = request as { readonly socket: TLSSocket };
  if (!socket.authorized) return false;
  const { CN } = socket.getPeerCertificate().subject;
  return typeof CN === 'string' && GRANTS.get(CN)?.includes(scope) === true;
};
