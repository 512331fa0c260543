import { describe, expect, it } from 'vitest'
import { greeted, startChat } from './support/chat.ts'
import {
  type Api,
  type ModelRequest,
  modelServer,
  nameOf,
  type ScriptedReply,
} from './support/model-server.ts'
import { LONG } from './support/shop.ts'

const APIS: readonly Api[] = ['anthropic', 'openai']

/** Calls a tool, then replies with its result. */
const calling =
  (tool: string, args: object | string = {}) =>
  (request: ModelRequest): ScriptedReply =>
    request.results.length === 0
      ? { calls: [{ name: nameOf(request, tool), args }] }
      : { text: `It said <${request.results.join('|')}>` }

describe.each(APIS)('a chat through the %s API', (api) => {
  it("calls tools until the model stops, and shows the model's text", async () => {
    const { type, waitForText, model, output, ended } = await startChat(
      (request, count) =>
        count === 1
          ? {
              text: 'Let me see.',
              calls: [{ name: nameOf(request, 'price'), args: { thing: { name: 'Tea' } } }],
            }
          : count === 2
            ? {
                calls: ['Milk', 'Jam'].map((name) => ({
                  name: nameOf(request, 'price'),
                  args: { thing: { name } },
                })),
              }
            : { text: `All of it: ${request.results.join(', ')}` },
      { api, yes: true },
    )
    await waitForText('Connected to shop, with 7 tools')
    await waitForText('price: The price of something')
    type('What are the prices?')
    await waitForText('Let me see.')
    await waitForText('[mcp__shop__price {"thing":{"name":"Tea"}}]')
    await waitForText('All of it: Milk: 3, Jam: 3')
    expect(model.requests.map(({ results }) => results)).toEqual([[], ['Tea: 3'], ['Milk: 3', 'Jam: 3']])
    expect(model.requests[0]?.system).toContain('Prices are in euros.')
    type('And now?')
    await waitForText('All of it: ')
    const texts = JSON.stringify(model.requests.at(-1)?.messages)
    for (const text of ['What are the prices?', 'Let me see.', 'Tea: 3', 'All of it: Milk', 'And now?'])
      expect(texts).toContain(text)
    type('quit')
    expect(await ended).toBe(true)
    expect(output()).not.toContain('key-of-tests')
  })

  it('sends the model the schemas unchanged, and only tool names that the API accepts', async () => {
    const { waitForText, model } = await greeted(calling(LONG.slice(0, 10)), { api, yes: true })
    await waitForText('It said')
    const { tools } = model.requests[0] as ModelRequest
    expect(tools.find(({ name }) => name.endsWith('__price'))?.schema).toEqual({
      type: 'object',
      properties: { thing: { $ref: '#/$defs/thing' } },
      required: ['thing'],
      $defs: { thing: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } },
    })
    expect(tools.find(({ name }) => name.endsWith('__price'))?.description).toContain(
      'The price of something',
    )
    for (const { name } of tools) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
  })

  it('calls a tool by its shortened name', async () => {
    const { waitForText } = await greeted(
      (request) => {
        const name = request.tools.find((tool) => tool.name.startsWith('mcp__shop__a_tool'))?.name ?? ''
        return request.results.length === 0
          ? { calls: [{ name, args: {} }] }
          : { text: `<${request.results.join()}>` }
      },
      { api, yes: true },
    )
    await waitForText('<the long one>')
  })

  it.each([
    ['fails', 'fail', {}, 'paper'],
    ['rejects its arguments', 'price', { thing: 1 }, 'thing'],
    ['is called with invalid JSON', 'price', '{"thing":', 'not a JSON object'],
    ['does not exist', 'nothing', {}, 'no tool'],
  ])('sends the model an error for a tool that %s', async (_, tool, args, expected) => {
    const { waitForText, model } = await greeted(calling(tool, args), { api, yes: true })
    await waitForText('It said <')
    const [, second] = model.requests
    expect(second?.results.join()).toContain(expected)
    const failed = api === 'anthropic' ? '"is_error":true' : 'The tool failed'
    expect(JSON.stringify(second?.messages)).toContain(failed)
  })

  it('stops a model that calls tools endlessly, and then serves the next query', async () => {
    const { type, waitForText, model } = await greeted(
      (request, count) =>
        count > 3
          ? { text: 'Well.' }
          : { calls: [{ name: nameOf(request, 'price'), args: { thing: { name: 'x' } } }] },
      { api, yes: true, maxRounds: 3 },
    )
    await waitForText('Stopped: the model still calls tools after 3 rounds')
    expect(model.requests).toHaveLength(3)
    type('Stop that.')
    await waitForText('Well.')
    // The API refuses a history that contains a call without a result.
    expect(JSON.stringify(model.requests[3]?.messages).match(/x: 3/g)).toHaveLength(3)
  })

  it('does not run tool calls from a truncated reply', async () => {
    const { waitForText, output } = await greeted(
      (request, count) =>
        count === 1 ? { ...calling('price')(request), stop: 'length' } : { text: request.results.join() },
      { api, yes: true },
    )
    await waitForText('The reply was cut off')
    await waitForText('Not called')
    expect(output()).not.toContain('[mcp__shop__price')
  })

  it('cancels a running call, tells the model, and then serves the next query', async () => {
    const { type, waitForText, model, chat } = await greeted(
      (request, count) =>
        count === 1 ? { calls: [{ name: nameOf(request, 'wait'), args: {} }] } : { text: 'I see.' },
      { api, yes: true },
    )
    await waitForText('[mcp__shop__wait {}]')
    chat.interrupt()
    await waitForText('Cancelled.')
    type('Why?')
    await waitForText('I see.')
    expect(JSON.stringify(model.requests[1]?.messages)).toContain('The user cancelled this call')
  })

  it("shows the endpoint's error message, and then serves the next query", async () => {
    const { type, waitForText, model } = await greeted(
      (_, count) =>
        count > 1
          ? { text: 'Fine.' }
          : (response) => response.writeHead(401).end('{"error":{"message":"Your key is \\u001b[2Jold"}}'),
      { api },
    )
    await waitForText('answered 401: Your key is \u{FFFD}[2Jold')
    type('again')
    await waitForText('Fine.')
    // The first query has no reply, so it is not sent again.
    expect(JSON.stringify(model.requests[1]?.messages)).not.toContain('hello')
  })

  it('accepts a reply without streaming', async () => {
    const body =
      api === 'anthropic'
        ? { content: [{ type: 'text', text: 'All at once' }], stop_reason: 'end_turn' }
        : { choices: [{ message: { role: 'assistant', content: 'All at once' }, finish_reason: 'stop' }] }
    const { waitForText } = await greeted(
      () => (response) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
      { api },
    )
    await waitForText('All at once')
  })

  it('sends the API key to the endpoint, but not to the target of a redirect', async () => {
    const elsewhere = await modelServer(() => ({ text: 'Thank you' }))
    const { waitForText, model } = await greeted(
      ({ path }) =>
        (response) =>
          response.writeHead(307, { location: `${elsewhere.url}${path}` }).end(),
      { api },
    )
    await waitForText('The model cannot be reached')
    expect(elsewhere.requests).toEqual([])
    const { headers } = model.requests[0] as ModelRequest
    expect(headers[api === 'anthropic' ? 'x-api-key' : 'authorization']).toContain('key-of-tests')
  })
})

describe('a request to a model endpoint', () => {
  it('is retried if the endpoint is busy', async () => {
    const { waitForText, model } = await greeted((_, count) =>
      count > 2 ? { text: 'Now.' } : (response) => response.writeHead(429, { 'retry-after': '0' }).end(),
    )
    await waitForText('Now.')
    expect(model.requests).toHaveLength(3)
  })

  it('fails with an error if the endpoint closes the connection during a reply', async () => {
    const { type, waitForText } = await greeted((_, count) =>
      count > 1
        ? { text: 'Whole.' }
        : (response) => {
            response.writeHead(200, { 'content-type': 'text/event-stream' })
            response.write(
              'data: {"type":"content_block_delta","delta":{"type":"text_delta","text":"Half"}}\n\n',
              () => response.destroy(),
            )
          },
    )
    await waitForText('Half')
    await waitForText("The model's reply broke off")
    type('again')
    await waitForText('Whole.')
  })

  it('can be cancelled while the endpoint has not replied', async () => {
    const { type, waitForText, chat, model } = await greeted((_, count) =>
      count > 1 ? { text: 'Here.' } : () => {},
    )
    await expect.poll(() => model.requests.length).toBe(1)
    chat.interrupt()
    await waitForText('Cancelled.')
    type('again')
    await waitForText('Here.')
  })
})

describe('the user', () => {
  it('approves or declines each tool call', async () => {
    const { type, waitForText, model } = await greeted(calling('price', { thing: { name: 'Tea' } }))
    await waitForText('[mcp__shop__price {"thing":{"name":"Tea"}}]')
    await waitForText('Call price of shop? [y]es, [N]o, [a]lways:')
    type('')
    await waitForText('It said <')
    expect(model.requests[1]?.results.join()).toContain('not approved')
  })

  it('sees how many characters of the arguments are hidden', async () => {
    const { type, waitForText, output } = await greeted(
      calling('price', { thing: { name: 'x'.repeat(5_000) } }),
    )
    await waitForText('[a]lways:')
    expect(output()).toContain('x… and 1021 more characters]')
    type('')
    await waitForText('It said <')
  })

  it('is not asked again about a tool that was allowed permanently', async () => {
    const { type, waitForText, output } = await greeted((request, count) =>
      count === 3
        ? { text: 'Done.' }
        : { calls: [{ name: nameOf(request, 'price'), args: { thing: { name: `${count}` } } }] },
    )
    await waitForText('[a]lways:')
    type('a')
    await waitForText('Done.')
    expect(output().match(/\[a\]lways/g)).toHaveLength(1)
  })

  it('fills in a form field by field, and is prompted again after an invalid value', async () => {
    const { type, waitForText } = await greeted(calling('order'), { yes: true })
    await waitForText('shop asks: What do you want?')
    await waitForText('count (integer; required)')
    await waitForText('How many')
    type('none')
    await waitForText('Invalid value')
    type('0')
    await waitForText('Invalid value')
    type('2')
    await waitForText('2. large')
    type('2')
    await waitForText('gift (y or n')
    type('')
    await waitForText('note (string; optional)')
    type('')
    await waitForText('It said <{"count":2,"size":"large","gift":false}>')
  })

  it.each([
    ['/decline', 'declined'],
    ['/cancel', 'without an answer'],
  ])('can cancel a form by entering %s', async (word, expected) => {
    const { type, waitForText, model } = await greeted(calling('order'), { yes: true })
    await waitForText('  > ')
    type('3')
    await waitForText('size')
    type(word)
    await waitForText('It said <')
    expect(model.requests[1]?.results.join().toLowerCase()).toContain(expected)
  })

  it('sees the full URL before it is opened', async () => {
    const { type, waitForText } = await greeted(calling('pay'), { yes: true })
    await waitForText('shop asks you to open a URL: Pay here\n  https://pay.example/order?id=1\n')
    await waitForText('[y/N]')
    type('y')
    await waitForText('It said <paid>')
  })

  it('approves a sampling request before it reaches the model, and the reply before it reaches the server', async () => {
    const { type, waitForText, model } = await greeted(
      (request) => {
        if (request.tools.length === 0) return { text: 'Tea for two' }
        return calling('slogan')(request)
      },
      { yes: true },
    )
    await waitForText('shop wants to send this to the model:\n  user: A slogan')
    expect(model.requests).toHaveLength(1)
    type('y')
    await waitForText("The model's reply:\n  Tea for two")
    await waitForText('Return it to shop? [y/N]')
    type('y')
    await waitForText('It said <Tea for two>')
    expect(model.requests[1]?.body['max_tokens']).toBe(20)
  })

  it('can decline a sampling request', async () => {
    const { type, waitForText, model } = await greeted(calling('slogan'), { yes: true })
    await waitForText('Send it? [y/N]')
    type('n')
    await waitForText('It said <')
    expect(model.requests).toHaveLength(2)
    expect(model.requests.every(({ tools }) => tools.length > 0)).toBe(true)
  })

  it('sees no control characters from servers or models', async () => {
    const { waitForText, output } = await greeted(
      (request) => ({ ...calling('fail')(request), text: 'a\u001b]0;title\u0007b\u202Ec\u009B1m' }),
      { yes: true },
    )
    await waitForText('[failed: Out of \u{FFFD}[31mpaper]')
    await waitForText('a\u{FFFD}]0;title\u{FFFD}b\u{FFFD}c\u{FFFD}1m')
    expect(output()).not.toMatch(/[\u001b\u0007\u009b\u202e]/)
  })

  it("still receives the model's reply after closing the input during a query", async () => {
    const { type, eof, ended, model } = await startChat(calling('order'))
    type('hello', 'y')
    eof()
    expect(await ended).toBe(true)
    expect(model.requests[1]?.results.join()).toContain('without an answer')
  })

  it('ends the chat with Ctrl-C at the prompt', async () => {
    const { waitForText, ended, chat } = await startChat(() => ({ text: 'x' }))
    await waitForText('Query: ')
    chat.interrupt()
    expect(await ended).toBe(true)
  })
})

it('the chat ends if it cannot connect to any server', async () => {
  const { ended, logged, output } = await startChat(() => ({ text: 'x' }), { unreachable: true })
  expect(await ended).toBe(false)
  expect(logged).toEqual(['Failed to connect to shop: http://127.0.0.1:8000 cannot be reached'])
  expect(output()).toBe('')
})
