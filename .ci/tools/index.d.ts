/** Absolute path of a Node that is newer than the packages' minimum. The two tools below need it. */
export declare const node: string

/** Absolute path of the public conformance suite's command line. Run it with {@link node}. */
export declare const conformance: string

/** Absolute path of the Inspector's command line. Run it with {@link node}. */
export declare const inspector: string
