/** Writes a message of ZooKeeper's protocol: numbers are big-endian, texts and bytes have their length before them. */
export class JuteWriter {
  private readonly parts: Buffer[] = [];

  int(value: number): this {
    const part = Buffer.alloc(4);
    part.writeInt32BE(value);
    return this.add(part);
  }

  long(value: bigint): this {
    const part = Buffer.alloc(8);
    part.writeBigInt64BE(value);
    return this.add(part);
  }

  bool(value: boolean): this {
    return this.add(Buffer.from([value ? 1 : 0]));
  }

  bytes(value: Buffer): this {
    return this.int(value.length).add(value);
  }

  text(value: string): this {
    return this.bytes(Buffer.from(value));
  }

  /** Adds what was written before. */
  add(part: Buffer): this {
    this.parts.push(part);
    return this;
  }

  done(): Buffer {
    return Buffer.concat(this.parts);
  }

  /** Returns the message with its length before it, as it is sent. */
  frame(): Buffer {
    return new JuteWriter().bytes(this.done()).done();
  }
}

/** Reads a message. Every method throws a RangeError if the message ends too early. */
export class JuteReader {
  private position = 0;

  constructor(private readonly message: Buffer) {}

  int(): number {
    return this.message.readInt32BE(this.advance(4));
  }

  long(): bigint {
    return this.message.readBigInt64BE(this.advance(8));
  }

  bool(): boolean {
    return this.message.readUInt8(this.advance(1)) !== 0;
  }

  /** A length of -1 means that there is none. */
  text(): string {
    const length = Math.max(0, this.int());
    const start = this.advance(length);
    if (this.position > this.message.length) throw new RangeError('a message ends too early');
    return this.message.toString('utf8', start, this.position);
  }

  skip(byteCount: number): void {
    this.advance(byteCount);
  }

  list<Item>(readItem: () => Item): Item[] {
    return Array.from({ length: Math.max(0, this.int()) }, readItem);
  }

  private advance(byteCount: number): number {
    const start = this.position;
    this.position += byteCount;
    return start;
  }
}

/** Cuts a stream of bytes into messages. */
export class Frames {
  private rest: Buffer = Buffer.alloc(0);

  constructor(private readonly longest: number) {}

  /** Returns the messages that these bytes complete. @throws RangeError if a length can't be one of this protocol */
  add(bytes: Buffer): Buffer[] {
    this.rest = Buffer.concat([this.rest, bytes]);
    const messages: Buffer[] = [];
    while (this.rest.length >= 4) {
      const length = this.rest.readInt32BE();
      if (length < 0 || length > this.longest) throw new RangeError(`a message has a length of ${length}`);
      if (this.rest.length < 4 + length) break;
      messages.push(this.rest.subarray(4, 4 + length));
      this.rest = this.rest.subarray(4 + length);
    }
    return messages;
  }
}
