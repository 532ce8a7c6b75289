/** Width and value of a field. */
export interface Part {
  readonly bits: number;
  readonly value: number;
}

/** Puts an ID together from its fields, the most significant one first. Nothing is checked. */
export type Encoder = (parts: readonly Part[]) => bigint;

/** By shifting: what most descriptions of the scheme show. */
const shifts: Encoder = (parts) =>
  parts.reduce((id, { bits, value }) => (id << BigInt(bits)) | BigInt(value), 0n);

/** By arithmetic alone: each value times the power of two that its place stands for, and all of it added up. */
const powersOfTwo: Encoder = (parts) => {
  let id = 0n;
  let place = 1n;
  for (const { bits, value } of [...parts].reverse()) {
    id += BigInt(value) * place;
    place *= 2n ** BigInt(bits);
  }
  return id;
};

/** By writing the fields one after the other as binary digits. */
const binaryDigits: Encoder = (parts) =>
  BigInt(
    `0b0${parts.map(({ bits, value }) => (bits > 0 ? value.toString(2).padStart(bits, '0') : '')).join('')}`,
  );

export const encoders: Readonly<Record<string, Encoder>> = { shifts, powersOfTwo, binaryDigits };
