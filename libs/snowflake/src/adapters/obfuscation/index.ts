/**
 * A codec that encrypts IDs, so that public IDs reveal neither time nor volume.
 *
 * @module
 */
export { obfuscatingCodec, type ObfuscatingCodecOptions, type ObfuscationKeys } from './obfuscating-codec.js';
