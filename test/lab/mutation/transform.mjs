import { createHash } from 'node:crypto';
import swc from '@swc/jest';

/** Transforms like the specs' own transform, and applies the mutant that the configuration names: in memory only. */
export default {
  createTransformer(swcOptions) {
    const inner = swc.createTransformer(swcOptions);
    return {
      ...inner,
      process: (text, file, options) => inner.process(altered(text, file, options), file, options),
      processAsync: (text, file, options) => inner.processAsync(altered(text, file, options), file, options),
      // Not by the whole configuration, so that a mutant transforms nothing but its own file.
      getCacheKey: (text, file, options) =>
        createHash('sha1')
          .update(
            [altered(text, file, options), file, JSON.stringify(swcOptions), options.supportsStaticESM].join(
              '\0',
            ),
          )
          .digest('hex'),
    };
  },
};

function altered(text, file, { config }) {
  const { mutant } = config.globals;
  if (mutant?.path !== file) return text;
  return text.slice(0, mutant.start) + mutant.replacement + text.slice(mutant.end);
}
