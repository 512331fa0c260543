import { describeSilence } from './support/silence-cases.ts'

// The defaults, with an idle limit of nginx a little beyond them.
describeSilence({ readTimeout: '20s', keepAlive: {}, silentMs: 50_000, timeoutMs: 90_000 })
