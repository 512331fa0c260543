import { STATUS_CODES } from 'node:http'
import { gunzipSync, gzipSync } from 'node:zlib'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import cors from '@fastify/cors'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { describe, expect, it } from 'vitest'
import { mcp } from '../src/index.ts'
import { bytesOf, callFrame, createServer, post, raw, text, until } from '@jetway-apps/test-support/http'
import { logLines } from '@jetway-apps/test-support'
import { listen, mounted } from './support.ts'

const STATELESS = { server: createServer(), stateless: true } as const
const STREAMED = { ...STATELESS, response: 'sse' } as const

describe("the app's hooks", () => {
  function hooked(): { app: FastifyInstance; ran: string[]; responded: Promise<void> } {
    const app = Fastify()
    const ran: string[] = []
    app.addHook('onRequest', async (request, reply) => {
      ran.push('onRequest')
      reply.header('x-request-id', request.id)
    })
    app.addHook('preHandler', async (_request, reply) => {
      ran.push('preHandler')
      reply.header('x-pre', 'handler').header('set-cookie', 'a=1').header('set-cookie', 'b=2')
    })
    app.addHook('onSend', async (_request, reply, payload) => {
      ran.push('onSend')
      reply.header('x-sent', 'yes')
      return payload
    })
    const responded = new Promise<void>((resolve) => {
      app.addHook('onResponse', async () => {
        ran.push('onResponse')
        resolve()
      })
    })
    return { app, ran, responded }
  }

  it.each([
    ['a JSON reply', STATELESS, 'name', ['onRequest', 'preHandler', 'onSend', 'onResponse'], 'yes'],
    [
      'a stream that is complete before its head is sent',
      STREAMED,
      'name',
      ['onRequest', 'preHandler', 'onSend', 'onResponse'],
      'yes',
    ],
    ['any other stream (except onSend)', STREAMED, 'report', ['onRequest', 'preHandler', 'onResponse'], null],
  ])(
    'run for %s, and onResponse runs at the end of the reply',
    async (_kind, options, tool, expected, sent) => {
      const { app, ran, responded } = hooked()
      const response = await post(`${await mounted(options, app)}/mcp`, callFrame(tool))
      expect(await response.text()).toMatch(/"text":"(test|reported)"/)
      await responded
      expect(ran).toEqual(expected)
      expect([...response.headers]).toEqual(
        expect.arrayContaining([
          ['x-request-id', 'req-1'],
          ['x-pre', 'handler'],
          ['set-cookie', 'a=1'],
          ['set-cookie', 'b=2'],
        ]),
      )
      expect(response.headers.get('x-sent')).toBe(sent)
    },
  )

  it('run for replies without a body', async () => {
    const { app, ran, responded } = hooked()
    const response = await post(
      `${await mounted(STATELESS, app)}/mcp`,
      '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    )
    expect([response.status, await response.text(), response.headers.get('x-sent')]).toEqual([202, '', 'yes'])
    await responded
    expect(ran.filter((name) => name === 'onSend')).toHaveLength(1)
  })

  it('can wrap the handler in onRoute', async () => {
    const app = Fastify()
    let wrapped = 0
    app.addHook('onRoute', (route) => {
      const { handler } = route
      route.handler = async function (request, reply) {
        wrapped++
        return handler.call(this, request, reply)
      }
    })
    const url = await mounted(
      [
        { ...STATELESS, path: '/json' },
        { ...STREAMED, path: '/sse' },
      ],
      app,
    )
    expect(await text(await post(`${url}/json`))).toBe('test')
    expect((await post(`${url}/json`, '{"jsonrpc":"2.0","method":"notifications/initialized"}')).status).toBe(
      202,
    )
    expect(await (await post(`${url}/sse`)).text()).toContain('"text":"test"')
    expect(wrapped).toBe(3)
  })

  it('work in an app that uses @fastify/sse', async () => {
    const app = Fastify()
    await app.register((await import('@fastify/sse')).default as never)
    app.register(mcp, { ...STATELESS, path: '/json' })
    app.register(mcp, { ...STREAMED, path: '/sse' })
    app.get('/ticks', { sse: 'only' }, async (_request, reply) => reply.sse.send({ data: 'tick' }))
    const url = await listen(app)
    expect(await text(await post(`${url}/json`))).toBe('test')
    expect(await (await post(`${url}/sse`)).text()).toContain('"text":"test"')
    expect(await (await fetch(`${url}/ticks`)).text()).toBe('data: "tick"\n\n')
  })
})

describe("the app's CORS plugin", () => {
  const ORIGIN = 'https://app.example.com'

  it('handles preflights, and sets headers on JSON replies and streams', async () => {
    const app = Fastify()
    await app.register(cors, {
      origin: ORIGIN,
      methods: ['GET', 'POST', 'DELETE'],
      exposedHeaders: ['mcp-session-id'],
    })
    const url = await mounted(
      [
        { ...STATELESS, allowedOrigins: [ORIGIN], path: '/json' },
        { ...STREAMED, allowedOrigins: [ORIGIN], path: '/sse' },
      ],
      app,
    )
    const preflight = await fetch(`${url}/json`, {
      method: 'OPTIONS',
      headers: {
        origin: ORIGIN,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-methods')).toContain('DELETE')
    for (const path of ['/json', '/sse']) {
      const response = await post(url + path, callFrame('name'), { origin: ORIGIN })
      expect(await response.text()).toContain('"text":"test"')
      expect(response.headers.get('access-control-allow-origin')).toBe(ORIGIN)
      expect(response.headers.get('access-control-expose-headers')).toBe('mcp-session-id')
    }
  })
})

declare module 'fastify' {
  interface FastifyRequest {
    account?: string
  }
}

describe("the app's authentication", () => {
  function guarded(hook: 'onRequest' | 'preHandler'): FastifyInstance {
    const app = Fastify()
    app.addHook(hook, async (request, reply) => {
      if (request.headers.authorization !== 'Bearer good') {
        reply.header('www-authenticate', 'Bearer')
        throw Object.assign(new Error('no token'), { statusCode: 401 })
      }
      request.account = 'ada'
    })
    app.setErrorHandler((error: Error, _request, reply) => reply.send({ mine: error.message }))
    return app
  }
  const options = {
    ...STATELESS,
    authInfo: (request: FastifyRequest) =>
      request.account === undefined ? undefined : { principal: request.account },
    locals: (request: FastifyRequest) => ({ id: request.id }),
  }

  it.each(['onRequest', 'preHandler'] as const)(
    'can run in the %s hook, and refuses a request before its body is read',
    async (hook) => {
      const app = guarded(hook)
      const socket = await raw(
        await mounted(options, app),
        bytesOf('/mcp', '', { 'content-length': '1000000' }),
      )
      const refused = await until(socket, '}')
      expect(refused).toMatch(/ 401 [^]*www-authenticate: Bearer[^]*\{"mine":"no token"\}/)
    },
  )

  it('sets ctx.auth, while the `locals` option sets ctx.locals', async () => {
    const app = guarded('preHandler')
    const response = await post(`${await mounted(options, app)}/mcp`, callFrame('seen'), {
      authorization: 'Bearer good',
    })
    expect(JSON.parse((await text(response)) ?? '')).toEqual({ auth: 'ada', locals: { id: 'req-1' } })
  })
})

describe('request bodies', () => {
  const empty = callFrame('size', { text: '' })
  /** Returns a call of this many bytes. */
  const large = (bytes: number): string => callFrame('size', { text: 'x'.repeat(bytes - empty.length) })

  it.each([
    ['4 MiB, above the app’s default', {}, {}, 4_194_304, 200],
    ['more than 4 MiB', {}, {}, 4_194_305, 413],
    ['more than limits.bodyBytes', {}, { limits: { bodyBytes: 1000 } }, 1001, 413],
    ['as much as a smaller app limit', { bodyLimit: 1000 }, {}, 1000, 200],
    ['more than a smaller app limit', { bodyLimit: 1000 }, {}, 1001, 413],
    ['more than 4 MiB despite a larger app limit', { bodyLimit: 10_000_000 }, {}, 4_194_305, 413],
  ])(
    'are limited to 4 MiB, or to a smaller configured limit: %s',
    async (_case, host, mount, bytes, status) => {
      const app = Fastify(host)
      const url = `${await mounted({ ...STATELESS, ...mount }, app)}/mcp`
      const declared = await post(url, large(bytes))
      const chunked = await post(url, new Blob([large(bytes)]).stream())
      for (const response of [declared, chunked]) {
        expect(response.status).toBe(status)
        expect(await response.json()).toMatchObject({ jsonrpc: '2.0' })
      }
    },
  )

  it.each(['text/plain', 'application/xml', 'nonsense', 'application/json-patch+json'])(
    'are refused with 415 and a JSON-RPC error if their type is %s',
    async (type) => {
      const response = await post(`${await mounted(STATELESS)}/mcp`, callFrame('name'), {
        'content-type': type,
      })
      expect(response.status).toBe(415)
      expect(await response.json()).toMatchObject({ jsonrpc: '2.0', error: { code: -32600 } })
    },
  )

  it.each([
    [undefined, 500],
    [399, 500],
    [400, 400],
    [418, 418],
  ])(
    "are refused by the app's error handler if a hook throws an error: status %s → %i",
    async (statusCode, status) => {
      const app = Fastify()
      app.setErrorHandler((error: Error, _request, reply) => void reply.send(`app: ${error.message}`))
      app.addHook('preHandler', () => {
        throw Object.assign(new Error('canary'), { statusCode })
      })
      const response = await post(`${await mounted(STATELESS, app)}/mcp`)
      expect([response.status, await response.text()]).toEqual([status, 'app: canary'])
    },
  )

  it.each([
    [500, -32603, ['Fastify refused an MCP request']],
    [499, -32600, []],
  ])(
    'are refused with a JSON-RPC error if Fastify fails with status %i',
    async (statusCode, code, logged) => {
      const errors: string[] = []
      const write = (line: string): void => void errors.push((JSON.parse(line) as { msg: string }).msg)
      const app = Fastify({ logger: { level: 'error', stream: { write } } })
      app.addHook('preHandler', () => {
        throw Object.assign(new Error('canary'), { code: 'FST_ERR_CANARY', statusCode })
      })
      const response = await post(`${await mounted(STATELESS, app)}/mcp`)
      expect(response.status).toBe(statusCode)
      expect(await response.json()).toEqual({
        jsonrpc: '2.0',
        error: { code, message: STATUS_CODES[statusCode] ?? 'Refused' },
      })
      expect(errors).toEqual(logged)
    },
  )

  it('cause an immediate error if a hook has already consumed them', async () => {
    const app = Fastify()
    app.addHook('preHandler', async (request) => void (await buffer(request.body as Readable)))
    const logger = logLines()
    expect((await post(`${await mounted({ ...STATELESS, logger }, app)}/mcp`)).status).toBe(400)
    expect(logger.lines).toEqual([expect.stringContaining('was read by a hook before MCP could read it')])
  })

  it('are limited by their decoded size if a preParsing hook decodes them', async () => {
    const app = Fastify()
    app.addHook('preParsing', async (_request, _reply, payload) => {
      const body = await buffer(payload)
      return Readable.from([gunzipSync(body)], { objectMode: false })
    })
    const url = `${await mounted({ ...STATELESS, limits: { bodyBytes: 10_000 } }, app)}/mcp`
    expect(await text(await post(url, gzipSync(callFrame('name'))))).toBe('test')
    expect((await post(url, gzipSync(large(20_000)))).status).toBe(413)
  })
})
