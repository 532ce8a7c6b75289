/** Where the events of one listener go. */
export interface EventSink {
  /** Returns whether the text was sent. One that reads too slowly misses texts. */
  send(text: string): boolean;
  /** Ends the answer. Later calls change nothing. */
  end(): void;
}
