/** An ID in a path: `..` or `a/b`, also percent-encoded, could reach another endpoint. */
export const ID = /^(?!\.*$)[^\s/\\%"<>[\]{}\p{Cc}\p{Cs}]+$/u;
