import { prefixedCodec } from 'nestjs-snowflake/core';
import { obfuscatingCodec } from 'nestjs-snowflake/obfuscation';

const KEY = '2b7e151628aed2a6abf7158809cf4f3cef4359d8d580aa4f7f036d6f04fc6a94';

/** Hides the time and the worker ID of an ID, and adds a prefix. */
export const hiddenInvoiceId = prefixedCodec('inv', obfuscatingCodec({ keys: { 1: KEY }, current: 1 }));
