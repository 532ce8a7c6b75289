module.exports = { testMatch: ['<rootDir>/jest/*.test.cjs'], maxWorkers: 2, testTimeout: 60_000 };
