import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

interface Exported {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly ExportedSpan[] }[]
  }[]
}

export interface ExportedSpan {
  readonly name: string
  readonly traceId: string
  readonly kind: number
}

/** Receives spans over OTLP/HTTP, as JSON, until the test has finished. */
export async function startCollector(): Promise<{ readonly url: string; readonly spans: ExportedSpan[] }> {
  const spans: ExportedSpan[] = []
  const collector = createServer((request, response) => {
    void text(request).then((body) => {
      const { resourceSpans } = JSON.parse(body) as Exported
      spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)))
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await once(collector.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void collector.close())
  return { url: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`, spans }
}
