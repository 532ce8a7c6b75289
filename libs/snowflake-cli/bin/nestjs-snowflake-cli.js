#!/usr/bin/env node
// npm links this file in a clone, too, where dist doesn't exist before the build.
await import('../dist/main.js');
