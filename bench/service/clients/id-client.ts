/** A client that requests IDs from one endpoint. */
export interface IdClient {
  /** @throws Error if the endpoint answers with anything else than `count` IDs */
  take(count: number): Promise<readonly (string | bigint)[]>;
  close(): Promise<void>;
}
