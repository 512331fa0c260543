import { describe, expect, it, onTestFinished } from 'vitest'
import { startChat } from './support/chat.ts'
import { type Api, type Asked, modelServer, type Scripted } from './support/model-server.ts'
import { LONG } from './support/shop.ts'

const APIS: readonly Api[] = ['anthropic', 'openai']

/** The name by which a model knows a tool. */
const nameOf = ({ tools }: Asked, tool: string): string =>
  tools.find(({ name }) => name.endsWith(`__${tool}`))?.name ?? `no tool ${tool}`

/** Calls a tool first, and then says what it gave. */
const calling =
  (tool: string, args: object | string = {}) =>
  (asked: Asked): Scripted =>
    asked.results.length === 0
      ? { calls: [{ name: nameOf(asked, tool), args }] }
      : { text: `It said <${asked.results.join('|')}>` }

describe.each(APIS)('a chat with a model of the API of %s', (api) => {
  it('calls tools until the model is done, and shows its text as it comes', async () => {
    const { type, sees, model, seen, over } = await startChat(
      (asked, count) =>
        count === 1
          ? {
              text: 'Let me see.',
              calls: [{ name: nameOf(asked, 'price'), args: { thing: { name: 'Tea' } } }],
            }
          : count === 2
            ? {
                calls: ['Milk', 'Jam'].map((name) => ({
                  name: nameOf(asked, 'price'),
                  args: { thing: { name } },
                })),
              }
            : { text: `All of it: ${asked.results.join(', ')}` },
      { api, yes: true },
    )
    await sees('Connected to shop, with 7 tools')
    await sees('price: The price of something')
    type('What are the prices?')
    await sees('Let me see.')
    await sees('[mcp__shop__price {"thing":{"name":"Tea"}}]')
    await sees('All of it: Milk: 3, Jam: 3')
    expect(model.asked.map(({ results }) => results)).toEqual([[], ['Tea: 3'], ['Milk: 3', 'Jam: 3']])
    expect(model.asked[0]?.system).toContain('Prices are in euros.')
    type('And now?')
    await sees('All of it: ')
    const texts = JSON.stringify(model.asked.at(-1)?.messages)
    for (const text of ['What are the prices?', 'Let me see.', 'Tea: 3', 'All of it: Milk', 'And now?'])
      expect(texts).toContain(text)
    type('quit')
    expect(await over).toBe(true)
    expect(seen()).not.toContain('key-of-tests')
  })

  it('shows the model schemas as they are, and names within what it takes', async () => {
    const { type, sees, model } = await startChat(calling(LONG.slice(0, 10)), { api, yes: true })
    type('hello')
    await sees('It said')
    const { tools } = model.asked[0] as Asked
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

  it('finds the tool behind a name that was shortened', async () => {
    const { type, sees } = await startChat(
      (asked) => {
        const name = asked.tools.find((tool) => tool.name.startsWith('mcp__shop__a_tool'))?.name ?? ''
        return asked.results.length === 0
          ? { calls: [{ name, args: {} }] }
          : { text: `<${asked.results.join()}>` }
      },
      { api, yes: true },
    )
    type('hello')
    await sees('<the long one>')
  })

  it.each([
    ['fails', 'fail', {}, 'paper'],
    ['does not like its arguments', 'price', { thing: 1 }, 'thing'],
    ['is called with what is no JSON', 'price', '{"thing":', 'no JSON object'],
    ['is none', 'nothing', {}, 'no tool'],
  ])('tells the model of a tool that %s', async (_, tool, args, expected) => {
    const { type, sees, model } = await startChat(calling(tool, args), { api, yes: true })
    type('hello')
    await sees('It said <')
    const [, second] = model.asked
    expect(second?.results.join()).toContain(expected)
    const failed = api === 'anthropic' ? '"is_error":true' : 'has failed'
    expect(JSON.stringify(second?.messages)).toContain(failed)
  })

  it('ends with a model that calls tools for ever, and goes on with the next query', async () => {
    const { type, sees, model } = await startChat(
      (asked, count) =>
        count > 3
          ? { text: 'Well.' }
          : { calls: [{ name: nameOf(asked, 'price'), args: { thing: { name: 'x' } } }] },
      { api, yes: true, rounds: 3 },
    )
    type('hello')
    await sees('Stopped: the model still wants to call tools after 3 rounds')
    expect(model.asked).toHaveLength(3)
    type('Stop that.')
    await sees('Well.')
    // Each call has its result, without which an API refuses what follows.
    expect(JSON.stringify(model.asked[3]?.messages).match(/x: 3/g)).toHaveLength(3)
  })

  it('makes no call of an answer that was cut off', async () => {
    const { type, sees, seen } = await startChat(
      (asked, count) =>
        count === 1 ? { ...calling('price')(asked), stop: 'length' } : { text: asked.results.join() },
      { api, yes: true },
    )
    type('hello')
    await sees('The model was cut off')
    await sees('and not made')
    expect(seen()).not.toContain('[mcp__shop__price')
  })

  it('cancels what runs, tells the model, and goes on', async () => {
    const { type, sees, model, chat } = await startChat(
      (asked, count) =>
        count === 1 ? { calls: [{ name: nameOf(asked, 'wait'), args: {} }] } : { text: 'I see.' },
      { api, yes: true },
    )
    type('hello')
    await sees('[mcp__shop__wait {}]')
    chat.interrupt()
    await sees('Cancelled.')
    type('Why?')
    await sees('I see.')
    expect(JSON.stringify(model.asked[1]?.messages)).toContain('The user has cancelled this')
  })

  it('says what the endpoint says, and goes on', async () => {
    const { type, sees, model } = await startChat(
      (_, count) =>
        count > 1
          ? { text: 'Fine.' }
          : (response) => response.writeHead(401).end('{"error":{"message":"Your key is \\u001b[2Jold"}}'),
      { api },
    )
    type('hello')
    await sees('answered 401: Your key is \u{FFFD}[2Jold')
    type('again')
    await sees('Fine.')
    // Nothing followed on the first query: the model need not know of it.
    expect(JSON.stringify(model.asked[1]?.messages)).not.toContain('hello')
  })

  it('takes an answer that is not streamed', async () => {
    const body =
      api === 'anthropic'
        ? { content: [{ type: 'text', text: 'All at once' }], stop_reason: 'end_turn' }
        : { choices: [{ message: { role: 'assistant', content: 'All at once' }, finish_reason: 'stop' }] }
    const { type, sees } = await startChat(
      () => (response) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
      { api },
    )
    type('hello')
    await sees('All at once')
  })

  it('sends its key, and follows no redirect with it', async () => {
    const elsewhere = await modelServer(() => ({ text: 'Thank you' }))
    onTestFinished(() => elsewhere.close())
    const { type, sees, model } = await startChat(
      ({ path }) =>
        (response) =>
          response.writeHead(307, { location: `${elsewhere.url}${path}` }).end(),
      { api },
    )
    type('hello')
    await sees('The model cannot be reached')
    expect(elsewhere.asked).toEqual([])
    const { headers } = model.asked[0] as Asked
    expect(headers[api === 'anthropic' ? 'x-api-key' : 'authorization']).toContain('key-of-tests')
  })
})

describe('an endpoint that is', () => {
  it('busy is asked again', async () => {
    const { type, sees, model } = await startChat((_, count) =>
      count > 2 ? { text: 'Now.' } : (response) => response.writeHead(429, { 'retry-after': '0' }).end(),
    )
    type('hello')
    await sees('Now.')
    expect(model.asked).toHaveLength(3)
  })

  it('cut in the middle is told of', async () => {
    const { type, sees } = await startChat((_, count) =>
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
    type('hello')
    await sees('Half')
    await sees("The model's answer was cut")
    type('again')
    await sees('Whole.')
  })

  it('cancelled while it says nothing', async () => {
    const { type, sees, chat, model } = await startChat((_, count) =>
      count > 1 ? { text: 'Here.' } : () => {},
    )
    type('hello')
    await expect.poll(() => model.asked.length).toBe(1)
    chat.interrupt()
    await sees('Cancelled.')
    type('again')
    await sees('Here.')
  })
})

describe('a person', () => {
  it('is asked before a tool is called, and may say no', async () => {
    const { type, sees, model } = await startChat(calling('price', { thing: { name: 'Tea' } }))
    type('hello')
    await sees('[mcp__shop__price {"thing":{"name":"Tea"}}]')
    await sees('Call price of shop? [y]es, [N]o, [a]lways:')
    type('')
    await sees('It said <')
    expect(model.asked[1]?.results.join()).toContain('not approved')
  })

  it('is told how much of the arguments is not shown', async () => {
    const { type, sees, seen } = await startChat(calling('price', { thing: { name: 'x'.repeat(5_000) } }))
    type('hello')
    await sees('[a]lways:')
    expect(seen()).toContain('x… and 1021 more characters]')
    type('')
    await sees('It said <')
  })

  it('is not asked again for a tool that was approved for good', async () => {
    const { type, sees, seen } = await startChat((asked, count) =>
      count === 3
        ? { text: 'Done.' }
        : { calls: [{ name: nameOf(asked, 'price'), args: { thing: { name: `${count}` } } }] },
    )
    type('hello')
    await sees('[a]lways:')
    type('a')
    await sees('Done.')
    expect(seen().match(/\[a\]lways/g)).toHaveLength(1)
  })

  it('fills in a form, field by field, until each answer fits', async () => {
    const { type, sees } = await startChat(calling('order'), { yes: true })
    type('hello')
    await sees('shop asks: What do you want?')
    await sees('count (integer; required)')
    await sees('How many')
    type('none')
    await sees('That does not fit')
    type('0')
    await sees('That does not fit')
    type('2')
    await sees('2. large')
    type('2')
    await sees('gift (y or n')
    type('')
    await sees('note (string; may be left empty)')
    type('')
    await sees('It said <{"count":2,"size":"large","gift":false}>')
  })

  it.each([
    ['/decline', 'declined'],
    ['/cancel', 'without an answer'],
  ])('leaves a form by %s', async (word, expected) => {
    const { type, sees, model } = await startChat(calling('order'), { yes: true })
    type('hello')
    await sees('  > ')
    type('3')
    await sees('size')
    type(word)
    await sees('It said <')
    expect(model.asked[1]?.results.join().toLowerCase()).toContain(expected)
  })

  it('sees an address whole before they open it', async () => {
    const { type, sees } = await startChat(calling('pay'), { yes: true })
    type('hello')
    await sees('shop asks you to open an address: Pay here\n  https://pay.example/order?id=1\n')
    await sees('[y/N]')
    type('y')
    await sees('It said <paid>')
  })

  it('sees what a server asks the model, and what it answers, before either has it', async () => {
    const { type, sees, model } = await startChat(
      (asked) => {
        if (asked.tools.length === 0) return { text: 'Tea for two' }
        return calling('slogan')(asked)
      },
      { yes: true },
    )
    type('hello')
    await sees('shop wants to ask the model:\n  user: A slogan')
    expect(model.asked).toHaveLength(1)
    type('y')
    await sees('The model says:\n  Tea for two')
    await sees('Send it to shop? [y/N]')
    type('y')
    await sees('It said <Tea for two>')
    expect(model.asked[1]?.body['max_tokens']).toBe(20)
  })

  it('keeps a server from asking the model', async () => {
    const { type, sees, model } = await startChat(calling('slogan'), { yes: true })
    type('hello')
    await sees('Ask it? [y/N]')
    type('n')
    await sees('It said <')
    expect(model.asked).toHaveLength(2)
    expect(model.asked.every(({ tools }) => tools.length > 0)).toBe(true)
  })

  it('is shown no control characters, whoever sends them', async () => {
    const { type, sees, seen } = await startChat(
      (asked) => ({ ...calling('fail')(asked), text: 'a\u001b]0;title\u0007b\u202Ec\u009B1m' }),
      { yes: true },
    )
    type('hello')
    await sees('[failed: Out of \u{FFFD}[31mpaper]')
    await sees('a\u{FFFD}]0;title\u{FFFD}b\u{FFFD}c\u{FFFD}1m')
    expect(seen()).not.toMatch(/[\u001b\u0007\u009b\u202e]/)
  })

  it('who is gone answers nothing, and the query is still answered', async () => {
    const { type, eof, over, model } = await startChat(calling('order'))
    type('hello', 'y')
    eof()
    expect(await over).toBe(true)
    expect(model.asked[1]?.results.join()).toContain('without an answer')
  })

  it('leaves by an interrupt at the prompt', async () => {
    const { sees, over, chat } = await startChat(() => ({ text: 'x' }))
    await sees('Query: ')
    chat.interrupt()
    expect(await over).toBe(true)
  })
})

it('without any server that can be connected there is no chat', async () => {
  const { over, logged, seen } = await startChat(() => ({ text: 'x' }), { away: true })
  expect(await over).toBe(false)
  expect(logged).toEqual(['Failed to connect to shop: http://127.0.0.1:8000 cannot be reached'])
  expect(seen()).toBe('')
})
