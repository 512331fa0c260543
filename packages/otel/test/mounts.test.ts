import { asks, listRoots, McpServer } from '@jetway/core'
import { SpanKind, trace } from '@opentelemetry/api'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import { expect, it, onTestFinished } from 'vitest'
import { telemetry } from '../src/index.ts'
import { CELLS, connectOver } from './support/mounts.ts'
import { registerSdk } from './support/sdk.ts'

it.each(CELLS)(
  "a trace over %s at %s contains the client's call, the handler and the handler's question",
  async (mount, revision) => {
    const { spans, span } = registerSdk()
    const both = telemetry()
    const server = new McpServer({ name: 'server', version: '1' }, { telemetry: both })
    onTestFinished(() => server.close())
    const seen: (string | undefined)[] = []
    const mark = (): void => void seen.push(trace.getActiveSpan()?.spanContext().traceId)
    server.addTool({
      name: 'ask',
      asks: asks().ask('folders', () => listRoots()),
      handler: (_args, { answers }) => {
        mark()
        return `${answers.folders.length}`
      },
    })
    const roots = () => {
      mark()
      return [{ uri: 'file:///home' }]
    }
    const client = await connectOver(mount, server, {
      telemetry: both,
      revisions: [revision],
      handlers: { roots },
    })
    await trace.getTracer('host').startActiveSpan('host', async (host) => {
      const { content } = await client.callTool('ask')
      expect(content).toEqual([{ type: 'text', text: '1' }])
      mark()
      host.end()
    })
    const host = span('host').spanContext()
    expect(seen).toEqual([host.traceId, host.traceId, host.traceId])
    const modern = revision >= '2026'
    const call = ['SERVER tools/call ask', 'CLIENT tools/call ask', 'INTERNAL host']
    const paths = spans()
      .filter(({ kind }) => kind === SpanKind.SERVER)
      .map((each) => pathOf(each, spans()))
      .filter((path) => path.at(-1) === 'INTERNAL host')
    expect(paths).toEqual(modern ? [call, call] : [['SERVER roots/list', 'CLIENT roots/list', ...call], call])
    const opening = span(modern ? 'server/discover' : 'initialize')
    expect(opening.attributes).toMatchObject({ 'mcp.protocol.version': revision })
    if (modern) expect(spans().filter(({ attributes }) => 'mcp.session.id' in attributes)).toEqual([])
  },
)

/** Returns the kinds and names of a span and its ancestors. */
function pathOf(span: ReadableSpan, all: readonly ReadableSpan[]): string[] {
  const parent = all.find((other) => other.spanContext().spanId === span.parentSpanContext?.spanId)
  return [`${SpanKind[span.kind]} ${span.name}`, ...(parent === undefined ? [] : pathOf(parent, all))]
}
