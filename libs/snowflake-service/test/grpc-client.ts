import { fileURLToPath } from 'node:url';
import {
  type CallOptions,
  type ChannelCredentials,
  type Client,
  type ClientReadableStream,
  credentials,
  type GrpcObject,
  loadPackageDefinition,
  Metadata,
  type ServiceClientConstructor,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { TOKEN } from './service-app.js';

const PROTO_FOLDER = fileURLToPath(new URL('../proto', import.meta.url));
const HEALTH_FOLDER = fileURLToPath(
  new URL('../../../node_modules/grpc-health-check/proto', import.meta.url),
);
const PROTOS = ['snowflake/v1/snowflake.proto', 'health/v1/health.proto'];

/** How a client of the tests sends a call. */
export interface Sending {
  /** An empty one sends none. */
  readonly token?: string;
  /** An ID by which logs can name the call. */
  readonly requestId?: string;
  /** The address that a proxy reports for the client. */
  readonly forwardedFor?: string;
  readonly options?: CallOptions;
}

export type Message = Readonly<Record<string, unknown>>;

/** How a call ended. */
export interface Called {
  readonly status: keyof typeof status;
  readonly details: string;
  /** What follows the response: metadata by their names. */
  readonly trailers: Message;
  /** Empty if the call failed. */
  readonly response: Message;
}

/** Calls the services of a server with what `@grpc/proto-loader` makes of their definition, as any client in Node.js does. */
export class GrpcClient {
  private readonly root: GrpcObject;
  private readonly clients = new Map<string, Client>();

  constructor(
    private readonly url: string,
    private readonly channel: ChannelCredentials = credentials.createInsecure(),
  ) {
    const definition = loadSync(PROTOS, {
      includeDirs: [PROTO_FOLDER, HEALTH_FOLDER],
      longs: String,
      enums: String,
      defaults: true,
      oneofs: true,
    });
    this.root = loadPackageDefinition(definition);
  }

  /** @param method the full name, e.g. `snowflake.v1.IdService.MakeIds` */
  call(method: string, request: object, sending: Sending = {}): Promise<Called> {
    const { options = {} } = sending;
    const { client, path, serialize, deserialize } = this.find(method);
    return new Promise((resolve) => {
      let response: Message = {};
      let failure: ServiceError | undefined;
      client
        .makeUnaryRequest(
          path,
          serialize,
          deserialize,
          request,
          metadataWith(sending),
          options,
          (error, value) => {
            failure = error ?? undefined;
            response = (value ?? {}) as Message;
          },
        )
        .on('status', ({ code, details, metadata }) => {
          const name = status[failure?.code ?? code] as keyof typeof status;
          resolve({ status: name, details, trailers: metadata.getMap(), response });
        });
    });
  }

  /** Opens a stream of responses. */
  stream(method: string, request: object, sending: Sending = {}): ClientReadableStream<Message> {
    const { options = {} } = sending;
    const { client, path, serialize, deserialize } = this.find(method);
    return client.makeServerStreamRequest(
      path,
      serialize,
      (bytes) => deserialize(bytes) as Message,
      request,
      metadataWith(sending),
      options,
    );
  }

  close(): void {
    for (const client of this.clients.values()) client.close();
  }

  private find(method: string) {
    const names = method.split('.');
    const service = names
      .slice(0, -1)
      .reduce<unknown>((found, name) => Reflect.get(found as object, name), this.root);
    const definition = (service as ServiceClientConstructor).service[String(names.at(-1))]!;
    const { path, requestSerialize: serialize, responseDeserialize: deserialize } = definition;
    return { client: this.clientOf(service as ServiceClientConstructor), path, serialize, deserialize };
  }

  private clientOf(service: ServiceClientConstructor): Client {
    const known = this.clients.get(service.serviceName);
    if (known) return known;
    const client = new service(this.url, this.channel);
    this.clients.set(service.serviceName, client);
    return client;
  }
}

function metadataWith({ token = TOKEN, requestId, forwardedFor }: Sending): Metadata {
  const metadata = new Metadata();
  if (requestId !== undefined) metadata.set('x-request-id', requestId);
  if (forwardedFor !== undefined) metadata.set('x-forwarded-for', forwardedFor);
  if (token !== '') metadata.set('authorization', `Bearer ${token}`);
  return metadata;
}
