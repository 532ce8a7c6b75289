import { jest } from '@jest/globals';

// A file of its own, since Jest has one `testTimeout` for all projects.
jest.setTimeout(180_000);
