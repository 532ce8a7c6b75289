import type { BitLayout } from 'nestjs-snowflake/core';
import {
  CODEC_NAMES,
  codecNamed,
  type CodecName,
} from '../../../../snowflake/src/core/codecs/text-codecs.js';

export { CODEC_NAMES, type CodecName };

export interface TextOfId {
  readonly codec: CodecName;
  readonly text: string;
}

/** Returns the ID as each codec of the library writes it. Leaves out a codec that can't write this ID. */
export function textsOf(id: string, layout: BitLayout): TextOfId[] {
  return CODEC_NAMES.flatMap((codec) => {
    const text = textOf(id, codec, layout);
    return text === undefined ? [] : [{ codec, text }];
  });
}

/** Returns the ID as one codec writes it, or undefined if it can't. */
export function textOf(id: string, codec: CodecName, layout: BitLayout): string | undefined {
  try {
    return codecNamed(codec, layout).encode(id);
  } catch {
    return undefined;
  }
}

/** Returns the 64 bits of an ID, the sign bit first. */
export function bitsOf(id: string): string {
  return BigInt.asUintN(64, BigInt(id)).toString(2).padStart(64, '0');
}
