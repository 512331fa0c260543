/** How a real nginx handles streams, with its default configuration and with the configuration in the guide. */
import { freePorts, startNginx } from '@jetway-apps/test-support/nginx'
import { expect, it, onTestFinished } from 'vitest'
import { checkUrl, jetway, problems, serve } from './support/remote.ts'

/** Starts nginx in front of a Jetway server. Resolves to the URL of nginx. */
async function behindNginx(directives: string, options: Parameters<typeof jetway>[0] = {}): Promise<string> {
  const [port = 0] = await freePorts(1)
  const backend = await serve(jetway(options))
  const location = `location / { proxy_pass ${backend}; ${directives} }`
  const nginx = await startNginx(`server { listen 127.0.0.1:${port}; ${location} }`, [port])
  onTestFinished(() => nginx.stop())
  return `http://127.0.0.1:${port}/mcp`
}

/** Makes nginx ignore the server's header against buffering, which most servers do not send. */
const BUFFERED = 'proxy_ignore_headers X-Accel-Buffering;'

it.each([
  ['subscriptions/listen', {}],
  ['GET', { revisions: ['2025-11-25'] }],
] as const)('jetway doctor reports a %s stream that nginx buffers', async (name, options) => {
  expect(problems(await checkUrl(await behindNginx(BUFFERED, { ...options })))).toEqual([
    {
      check: 'stream',
      verdict: 'fault',
      evidence: expect.stringContaining(name),
      advice: expect.stringContaining('proxy_buffering off'),
    },
  ])
})

it('jetway doctor reports that nginx compresses a stream', async () => {
  const gzip =
    'gzip on; gzip_types text/event-stream; gzip_proxied any; gzip_min_length 0; gzip_http_version 1.0;'
  expect(problems(await checkUrl(await behindNginx(`proxy_buffering off; ${gzip}`)))).toContainEqual(
    expect.objectContaining({
      check: 'stream-encoding',
      verdict: 'fault',
      evidence: 'Content-Encoding: gzip',
    }),
  )
})

it.each([
  ['by X-Accel-Buffering', ''],
  ["by nginx's configuration", `${BUFFERED} proxy_buffering off;`],
])('jetway doctor reports no fault if buffering is turned off %s', async (_, directives) => {
  expect(problems(await checkUrl(await behindNginx(directives)))).toEqual([])
})
