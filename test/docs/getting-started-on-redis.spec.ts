import 'reflect-metadata';
import { databaseFor, startRedis } from '../support/servers/index.js';
import { CodeProject } from './code-project.js';
import { tutorialApp } from './getting-started.js';
import { supportFolderOf } from './pages.js';
import { testTutorial } from './tutorial-test.js';

const project = new CodeProject(tutorialApp('redisLeaseStore'), supportFolderOf('docs/getting-started.md'));
const redis = await startRedis();
afterAll(() => redis.stop());

process.env.DATABASE_URL = await databaseFor('postgres', 'getting started on Redis');
process.env.REDIS_URL = redis.url;
testTutorial(project);
