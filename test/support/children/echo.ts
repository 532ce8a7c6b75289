/** The child of child.spec.ts: repeats what it is told, and fails when told to. */
enum Order {
  Echo = 'echo',
  Fail = 'fail',
}

interface Message {
  readonly order: Order;
  readonly text: string;
}

process.on('message', ({ order, text }: Message) => {
  if (order === Order.Fail) throw new Error(text);
  process.send?.({ echo: text, args: process.argv.slice(2), env: process.env.ECHO_COLOUR });
});
process.send?.({ ready: true });
