import { describe, expect, it } from 'vitest'
import { FRAMEWORKS } from '@jetway-apps/test-support/mounts'
import { createServer, initialize, PUBLIC_URL } from './support/behind-nginx.ts'
import { startGuideNginx } from './support/nginx.ts'
import { describeSilence } from './support/silence-cases.ts'

describeSilence({
  readTimeout: '5s',
  keepAlive: { intervalMs: 2_000 },
  // A call becomes a stream after 2 s, and nginx cuts silent ones after 7 s.
  silentMs: 8_500,
  timeoutMs: 30_000,
})

describe.each(Object.entries(FRAMEWORKS))('a request to the public host of a server on %s', (_, mount) => {
  it.each([
    [200, { publicUrl: PUBLIC_URL }],
    [200, { allowedHosts: ['mcp.example.com'] }],
    [403, {}],
  ])('receives status %i with the options %j', async (status, options) => {
    const backend = await mount(createServer(), options)
    const nginx = await startGuideNginx([backend.port], '5s')
    try {
      const [port = 0] = nginx.ports
      const opened = await initialize(port)
      expect(opened.status).toBe(status)
      opened.leave()
    } finally {
      await nginx.stop()
      await backend.stop()
    }
  })
})
