import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  answerTo,
  type Body,
  keepStream,
  MEDIA_TYPE,
  notify,
  openSession,
  STREAM_HEADERS,
} from '../serving/bare.ts'
import { ready } from '../serving/control.ts'

/** Plain node:http: parses the body, and sends a prepared response. */
const http = createServer((req, res) => {
  if (req.method === 'GET') {
    res.writeHead(200, STREAM_HEADERS).flushHeaders()
    return keepStream(res)
  }
  const chunks: Buffer[] = []
  req.on('data', (chunk: Buffer) => chunks.push(chunk))
  req.on('end', () => {
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Body
    if (body.method === 'initialize') res.setHeader('mcp-session-id', openSession())
    res.setHeader('content-type', MEDIA_TYPE)
    res.end(answerTo(body))
  })
})
http.listen(0, '127.0.0.1', () => ready((http.address() as AddressInfo).port, notify))
