import { PROTO_FOLDER } from '#proto-folder';

export { PROTO_FOLDER };

/** The package of the services, with its version. */
export const PROTO_PACKAGE = 'snowflake.v1';
/** The file that defines them, below {@link PROTO_FOLDER}. */
export const PROTO_FILE = 'snowflake/v1/snowflake.proto';

/** The services, with the package: a service of the app can have the same short name. */
export const SERVICES = {
  ids: `${PROTO_PACKAGE}.IdService`,
  leases: `${PROTO_PACKAGE}.LeaseService`,
  segments: `${PROTO_PACKAGE}.SegmentService`,
} as const;
