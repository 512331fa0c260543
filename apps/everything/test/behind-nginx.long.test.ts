import { describeSilence } from './support/silence-cases.ts'

// Tests the default keep-alive interval, with an idle limit in nginx that is slightly longer.
describeSilence({ readTimeout: '20s', keepAlive: {}, silentMs: 50_000, timeoutMs: 90_000 })
