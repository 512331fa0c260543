import { env } from 'node:process'

/**
 * Whether long tests run in full. `npm run test:long` runs only the short form of tests that would take an
 * hour.
 */
export const FULL: boolean = env['JETWAY_LONG_TESTS'] === 'full'
