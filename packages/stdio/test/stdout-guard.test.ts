import { Console } from 'node:console'
import { Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { guardStdout } from '../src/stdout-guard.ts'

class Collected extends Writable {
  text = ''
  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString()
    done()
  }
}

function setUp() {
  const output = new Collected()
  const diversion = new Collected()
  let notices = 0
  const guard = guardStdout(output, diversion, () => notices++)
  return { output, diversion, guard, notices: () => notices }
}

/** Returns the current `end` method, typed to accept any arguments. */
function endOf(output: Writable): (...args: readonly unknown[]) => unknown {
  const end = Reflect.get(output, 'end') as (...args: readonly unknown[]) => unknown
  return (...args) => Reflect.apply(end, output, args)
}

describe('guardStdout', () => {
  it('diverts writes from other code, and reports only the first one', () => {
    const { output, diversion, notices } = setUp()
    const console = new Console({ stdout: output, stderr: diversion })
    console.log('log')
    console.info('info')
    console.debug('debug')
    console.table([{ a: 1 }])
    output.write('direct\n')
    expect(output.text).toBe('')
    for (const word of ['log', 'info', 'debug', '│', 'direct']) expect(diversion.text).toContain(word)
    expect(notices()).toBe(1)
  })

  it('lets writes from the transport through', () => {
    const { output, diversion, guard, notices } = setUp()
    guard.write('{"jsonrpc":"2.0"}\n')
    expect(output.text).toBe('{"jsonrpc":"2.0"}\n')
    expect(diversion.text).toBe('')
    expect(notices()).toBe(0)
  })

  it('calls the callback of a diverted write once the text has been written', async () => {
    const { output, diversion } = setUp()
    await new Promise((resolve) => output.write('text', 'utf8', resolve))
    await new Promise<void>((resolve) => output.end('end', resolve))
    expect(diversion.text).toBe('textend')
    expect(output.writableEnded).toBe(false)
  })

  it.each<[string, readonly unknown[], string]>([
    ['nothing', [], ''],
    ['null', [null], ''],
    ['a string', ['é'], 'é'],
    ['a string in another encoding', ['e9', 'hex'], '\ufffd'],
  ])('diverts the argument of `end` without ending the output: %s', async (_what, args, text) => {
    const { output, diversion, notices } = setUp()
    await new Promise<void>((resolve) => endOf(output)(...args, resolve))
    expect(endOf(output)()).toBe(output)
    expect([diversion.text, notices(), output.writableEnded]).toEqual([text, 1, false])
  })

  it('lets `end` through after the guard has been released', async () => {
    const { output, guard, notices } = setUp()
    const end = endOf(output)
    guard.release()
    await new Promise<void>((resolve) => end(resolve))
    expect([output.writableEnded, notices()]).toEqual([true, 0])
  })

  it('restores methods that were defined on the output itself', () => {
    const output = new Collected()
    const own = { write: output.write.bind(output), end: output.end.bind(output) }
    Object.assign(output, own)
    guardStdout(output, new Collected(), () => {}).release()
    expect([Reflect.get(output, 'write'), Reflect.get(output, 'end')]).toEqual([own.write, own.end])
  })

  it('restores methods that were inherited', () => {
    const { output, diversion, guard } = setUp()
    guard.release()
    output.write('after')
    expect(Object.hasOwn(output, 'write')).toBe(false)
    expect(Object.hasOwn(output, 'end')).toBe(false)
    expect(output.text).toBe('after')
    expect(diversion.text).toBe('')
  })

  it('leaves a later wrapper in place when the guard is released, and lets its writes through', () => {
    const { output, guard } = setUp()
    const guarded = output.write.bind(output)
    const wrapper = ((chunk: string) => guarded(`[${chunk}]`)) as typeof output.write
    output.write = wrapper
    guard.release()
    output.write('after')
    expect(Reflect.get(output, 'write')).toBe(wrapper)
    expect(output.text).toBe('[after]')
  })
})
