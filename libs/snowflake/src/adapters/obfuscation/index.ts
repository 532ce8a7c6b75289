export { obfuscatingCodec, type ObfuscatingCodecOptions, type ObfuscationKeys } from './obfuscating-codec.js';
