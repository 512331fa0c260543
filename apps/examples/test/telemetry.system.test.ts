import { listening, startNode } from '@jetway-apps/test-support/processes'
import { program } from '@jetway-tools/runtimes/program'
import { Client } from '@jetway/client'
import { http } from '@jetway/client/http'
import { expect, it, onTestFinished } from 'vitest'
import { startCollector } from './support/collector.ts'

const SERVER = new URL('support/exporting-server.ts', import.meta.url)
const TRACE_ID = '0af7651916cd43dd8448eb211c80319c'

it("a process that receives SIGTERM after a call exports every span once, as part of the caller's trace", async () => {
  const { url, spans } = await startCollector()
  const running = startNode(program(SERVER), { OTEL_EXPORTER_OTLP_ENDPOINT: url })
  onTestFinished(async () => void (await running.stop('SIGKILL')))
  const server = await listening(running)
  const client = new Client({ name: 'host', version: '1.0.0' }, { eras: false, revisions: ['2026-07-28'] })
  await client.connect(http(server.url))
  const _meta = { traceparent: `00-${TRACE_ID}-b7ad6b7169203331-01` }
  await client.callTool('forecast', {}, { _meta })
  server.process.kill('SIGTERM')
  expect(await server.exited).toBe(0)
  await client.close()
  expect(spans.map(({ name }) => name).toSorted()).toEqual(['server/discover', 'tools/call forecast'])
  expect(spans.find(({ name }) => name === 'tools/call forecast')).toMatchObject({
    traceId: TRACE_ID,
    kind: 2,
  })
})
