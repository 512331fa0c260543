import { describeSilence } from './support/silence-cases.ts'

// Uses the defaults, with a slightly longer idle limit in nginx.
describeSilence({ readTimeout: '20s', keepAlive: {}, silentMs: 50_000, timeoutMs: 90_000 })
