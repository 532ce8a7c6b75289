/** Where the definitions of the gRPC services lie. The build gives CommonJS a file of its own, which finds its place by other means. */
export const PROTO_FOLDER: string;
