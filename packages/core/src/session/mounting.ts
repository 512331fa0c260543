/**
 * The options of a mount as its last argument: a server that declares what it demands as `ctx.mount` makes them, and
 * their member `mount`, obligatory.
 */
export type Mounting<Options extends object, Mount> = unknown extends Mount
  ? [options?: Options]
  : [options: Options & { readonly mount: Mount }]
