/** Stops the clock of a process at the time in FIXED_NOW. */
const fixed = Date.parse(process.env.FIXED_NOW ?? '');
if (!Number.isNaN(fixed)) Date.now = () => fixed;
