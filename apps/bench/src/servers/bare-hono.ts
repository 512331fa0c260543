import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { answerTo, type Body, MEDIA_TYPE, openSession } from '../serving/bare.ts'
import { ready } from '../serving/control.ts'

/** Plain Hono on Node: parses the body, and sends a prepared response. */
const app = new Hono()
app.post('/mcp', async (c) => {
  const body = await c.req.json<Body>()
  if (body.method === 'initialize') c.header('mcp-session-id', openSession())
  return c.body(answerTo(body), 200, { 'content-type': MEDIA_TYPE })
})
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => ready(port))
