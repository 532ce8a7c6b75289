export {
  obfuscatingCodec,
  type ObfuscatingCodecOptions,
  type ObfuscationKeys,
} from './obfuscation/obfuscating-codec.js';
