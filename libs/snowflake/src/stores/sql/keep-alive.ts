/**
 * Keeps the process alive between begin and end, as the socket of any other store does. SQLite has none, and a process
 * that does nothing but wait for its first lease would end: the library's timers keep no process alive.
 */
export class KeepAlive {
  private channel?: InstanceType<typeof MessageChannel>;

  begin(): void {
    this.channel ??= new MessageChannel();
    this.channel.port1.ref();
  }

  end(): void {
    this.channel?.port1.close();
    this.channel = undefined;
  }
}
