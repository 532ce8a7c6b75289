import { testVariablesOn } from '../../shared/test/support/variables-on-page.js';
import { Environment } from '../src/config/environment.js';

testVariablesOn('apps/orders/README.md', Environment);
