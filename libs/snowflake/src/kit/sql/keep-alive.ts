/**
 * Keeps the process alive between begin and end, as the socket of any other store does. SQLite has no socket, so a process
 * that only waits for its first lease would exit, because the library's timers do not keep it alive.
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
