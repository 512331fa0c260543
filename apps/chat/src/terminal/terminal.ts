import process from 'node:process'
import { createInterface, type Interface } from 'node:readline'
import { type Readable, Writable } from 'node:stream'

export interface TerminalOptions {
  readonly input: Readable & { readonly isTTY?: boolean }
  readonly output: Writable & { readonly isTTY?: boolean; readonly columns?: number }
  /** Told of Ctrl-C. */
  readonly onInterrupt: () => void
}

export interface AskOptions {
  /** Aborting it takes the question back, and rejects with its reason. */
  readonly signal?: AbortSignal
  /** Whether what is typed is not shown. */
  readonly hidden?: boolean
  /** Whether a line that was typed before the question is an answer to it. @default false */
  readonly typedAhead?: boolean
}

/** Lines that wait for a question. Then no more is read: a script may be longer than the conversation. */
const MAX_LINES = 256

/** Lines from a person, or from a script, and text for them. Questions come one after the other. */
export class Terminal {
  readonly #lines: Interface
  readonly #output: TerminalOptions['output']
  readonly #interactive: boolean
  readonly #onInterrupt: () => void
  readonly #typed: string[] = []
  #waiting: ((line: string | undefined) => void) | undefined
  #asking: Promise<unknown> = Promise.resolve()
  #hidden = false
  #ended = false

  constructor({ input, output, onInterrupt }: TerminalOptions) {
    this.#output = output
    this.#interactive = input.isTTY === true && output.isTTY === true
    this.#onInterrupt = onInterrupt
    this.#lines = createInterface({
      input,
      output: this.#interactive ? this.#echo() : output,
      terminal: this.#interactive,
    })
    this.#lines.on('line', (line) => this.#heard(line))
    this.#lines.on('close', () => this.#end())
    // Nobody reads any more.
    output.on('error', () => this.#lines.close())
    // In its raw mode a terminal sends no signal.
    if (this.#interactive) this.#lines.on('SIGINT', onInterrupt)
    process.on('SIGINT', onInterrupt)
  }

  write(text: string): void {
    if (!this.#output.destroyed && this.#output.writable) this.#output.write(text)
  }

  /**
   * The next line; undefined where there is none any more.
   *
   * @throws the reason of the signal
   */
  ask(prompt: string, options: AskOptions = {}): Promise<string | undefined> {
    const answer = this.#asking.then(() => this.#ask(prompt, options))
    this.#asking = answer.catch(() => {})
    return answer
  }

  close(): void {
    process.off('SIGINT', this.#onInterrupt)
    this.#lines.close()
  }

  async #ask(
    prompt: string,
    { signal, hidden = false, typedAhead = false }: AskOptions,
  ): Promise<string | undefined> {
    signal?.throwIfAborted()
    // A person who was typing has not seen the question yet; a script has no eyes.
    if (this.#interactive && !typedAhead) this.#typed.length = 0
    this.#show(prompt)
    const ready = this.#typed.shift()
    if (ready !== undefined || this.#ended) {
      if (!this.#ended && this.#typed.length < MAX_LINES) this.#lines.resume()
      return ready
    }
    this.#hidden = hidden
    let stop: (() => void) | undefined
    try {
      return await new Promise<string | undefined>((resolve, reject) => {
        this.#waiting = resolve
        stop = () => reject(signal?.reason as Error)
        signal?.addEventListener('abort', stop, { once: true })
      })
    } finally {
      this.#waiting = undefined
      if (stop !== undefined) signal?.removeEventListener('abort', stop)
      if (this.#hidden) this.write('\n')
      this.#hidden = false
    }
  }

  #show(prompt: string): void {
    if (!this.#interactive || this.#ended) return this.write(prompt)
    // What stands before the last line is not repeated when the line is edited.
    const last = prompt.lastIndexOf('\n') + 1
    this.write(prompt.slice(0, last))
    this.#lines.setPrompt(prompt.slice(last))
    this.#lines.prompt()
  }

  #heard(line: string): void {
    if (this.#waiting !== undefined) {
      const answer = this.#waiting
      this.#waiting = undefined
      return answer(line)
    }
    this.#typed.push(line)
    if (this.#typed.length >= MAX_LINES) this.#lines.pause()
  }

  #end(): void {
    this.#ended = true
    this.#waiting?.(undefined)
  }

  /** Where a person's typing is shown, unless it is a secret. */
  #echo(): Writable {
    const echo = new Writable({
      write: (chunk: Uint8Array, _encoding, done) => {
        if (!this.#hidden) this.#output.write(chunk)
        done()
      },
    })
    return Object.assign(echo, { columns: this.#output.columns })
  }
}
