import process from 'node:process'
import { createInterface, type Interface } from 'node:readline'
import { type Readable, Writable } from 'node:stream'

export interface TerminalOptions {
  readonly input: Readable & { readonly isTTY?: boolean }
  readonly output: Writable & { readonly isTTY?: boolean; readonly columns?: number }
  /** Called on Ctrl-C. */
  readonly onInterrupt: () => void
}

export interface AskOptions {
  /** A signal that withdraws the question. When it aborts, the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /** Whether to hide the input, because it is a secret. @default false */
  readonly hidden?: boolean
  /** Whether to accept a line that was typed before the question. @default false */
  readonly typedAhead?: boolean
}

/**
 * The maximum number of lines that are queued for questions. When it is reached, reading pauses, because the
 * input may be a long file.
 */
const MAX_QUEUED_LINES = 256

/** Prints text and asks questions, one after another. The input may come from a person or a file. */
export class Terminal {
  readonly #readline: Interface
  readonly #output: TerminalOptions['output']
  readonly #interactive: boolean
  readonly #onInterrupt: () => void
  readonly #queue: string[] = []
  #resolveLine: ((line: string | undefined) => void) | undefined
  #lastQuestion: Promise<unknown> = Promise.resolve()
  #hidden = false
  #closed = false

  constructor({ input, output, onInterrupt }: TerminalOptions) {
    this.#output = output
    this.#interactive = input.isTTY === true && output.isTTY === true
    this.#onInterrupt = onInterrupt
    this.#readline = createInterface({
      input,
      output: this.#interactive ? this.#echo() : output,
      terminal: this.#interactive,
    })
    this.#readline.on('line', (line) => this.#onLine(line))
    this.#readline.on('close', () => this.#onClose())
    // The reader of the output has disconnected.
    output.on('error', () => this.#readline.close())
    // A terminal in raw mode sends no signal. Instead, readline reports Ctrl-C.
    if (this.#interactive) this.#readline.on('SIGINT', onInterrupt)
    process.on('SIGINT', onInterrupt)
  }

  write(text: string): void {
    if (!this.#output.destroyed && this.#output.writable) this.#output.write(text)
  }

  /**
   * Asks a question. Resolves to the line with the answer, or to undefined at the end of the input.
   *
   * @throws the signal's reason
   */
  ask(prompt: string, options: AskOptions = {}): Promise<string | undefined> {
    const answer = this.#lastQuestion.then(() => this.#ask(prompt, options))
    this.#lastQuestion = answer.catch(() => {})
    return answer
  }

  close(): void {
    process.off('SIGINT', this.#onInterrupt)
    this.#readline.close()
  }

  async #ask(
    prompt: string,
    { signal, hidden = false, typedAhead = false }: AskOptions,
  ): Promise<string | undefined> {
    signal?.throwIfAborted()
    // A person typed these lines before seeing the question. In a file, they are the answers.
    if (this.#interactive && !typedAhead) this.#queue.length = 0
    this.#prompt(prompt)
    const line = this.#queue.shift()
    if (line !== undefined || this.#closed) {
      if (!this.#closed && this.#queue.length < MAX_QUEUED_LINES) this.#readline.resume()
      return line
    }
    this.#hidden = hidden
    let onAbort: (() => void) | undefined
    try {
      return await new Promise<string | undefined>((resolve, reject) => {
        this.#resolveLine = resolve
        onAbort = () => reject(signal?.reason as Error)
        signal?.addEventListener('abort', onAbort, { once: true })
      })
    } finally {
      this.#resolveLine = undefined
      if (onAbort !== undefined) signal?.removeEventListener('abort', onAbort)
      if (this.#hidden) this.write('\n')
      this.#hidden = false
    }
  }

  #prompt(prompt: string): void {
    if (!this.#interactive || this.#closed) return this.write(prompt)
    // Readline repeats its prompt whenever the line is edited, so it is given only the last line.
    const last = prompt.lastIndexOf('\n') + 1
    this.write(prompt.slice(0, last))
    this.#readline.setPrompt(prompt.slice(last))
    this.#readline.prompt()
  }

  #onLine(line: string): void {
    if (this.#resolveLine !== undefined) {
      const resolve = this.#resolveLine
      this.#resolveLine = undefined
      return resolve(line)
    }
    this.#queue.push(line)
    if (this.#queue.length >= MAX_QUEUED_LINES) this.#readline.pause()
  }

  #onClose(): void {
    this.#closed = true
    this.#resolveLine?.(undefined)
  }

  /** Returns the output for readline. It echoes the input unless the input is hidden. */
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
