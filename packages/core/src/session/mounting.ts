/**
 * The options of a mount as its last argument: a server that declares what it demands as `ctx.locals` makes them, and
 * their member `mount`, obligatory.
 */
export type MountArgs<Options extends object, Locals> = unknown extends Locals
  ? [options?: Options]
  : [options: Options & { readonly locals: Locals }]
