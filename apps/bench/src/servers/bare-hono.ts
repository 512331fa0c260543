import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { stream } from 'hono/streaming'
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

/** Plain Hono on Node: parses the body, and sends a prepared response. */
const app = new Hono()
app.post('/mcp', async (c) => {
  const body = await c.req.json<Body>()
  if (body.method === 'initialize') c.header('mcp-session-id', openSession())
  return c.body(answerTo(body), 200, { 'content-type': MEDIA_TYPE })
})
app.get('/mcp', (c) => {
  for (const [name, value] of Object.entries(STREAM_HEADERS)) c.header(name, value)
  return stream(c, async (opened) => {
    // Hono sends the response headers together with the first text.
    await opened.write(': open\n\n')
    keepStream(opened)
    await new Promise(() => {})
  })
})
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => ready(port, notify))
