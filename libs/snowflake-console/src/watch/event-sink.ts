/** Where the events of one listener go. */
export interface EventSink {
  send(text: string): void;
  /** Ends the answer. Later calls change nothing. */
  end(): void;
}
