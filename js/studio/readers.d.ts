/** The error for a message that does not follow the protocol. */
export class ProtocolError extends Error {
  constructor(message: string);
  code: "invalid_message";
}

/** Takes over a value, with nothing that it does not know; else throws a {@link ProtocolError}, which names the path. */
export type Reader<T> = (value: unknown, path: string) => T;

/** The values of a reader. */
export type Read<R> = R extends Reader<infer T> ? T : never;

type Fields = Record<string, Reader<any>>;
type Absent<F extends Fields> = { [K in keyof F]: undefined extends Read<F[K]> ? K : never }[keyof F];
type Present<F, K extends keyof F> = { [P in K]: Read<F[P]> };
type Possible<F, K extends keyof F> = { [P in K]?: Exclude<Read<F[P]>, undefined> };
/** An object of these fields; those that may be absent are optional. */
export type Shape<F extends Fields> = Present<F, Exclude<keyof F, Absent<F>>> & Possible<F, Absent<F>>;

/** A reader of values that fulfil a condition. */
export function where<T>(isRight: (value: any) => boolean, expected: string): Reader<T>;
export const text: Reader<string>;
/** A text of at most 10,000 characters. */
export const shortText: Reader<string>;
export const flag: Reader<boolean>;
export const number: Reader<number>;
/** A whole number, 0 or more. */
export const count: Reader<number>;
/** A whole number, -1 or more. */
export const index: Reader<number>;
export const record: Reader<Record<string, unknown>>;
/** A JSON value that the library itself checks, or that nothing relies on. */
export const any: Reader<any>;
export function choice<const W extends string>(...words: W[]): Reader<W>;
/** A value that may be absent; null counts as absent. */
export function optional<T>(inner: Reader<T>): Reader<T | undefined>;
/** A value that may be null; absent counts as null. */
export function nullable<T>(inner: Reader<T>): Reader<T | null>;
/** A list of at most so many items, by default 1,000,000. */
export function list<T>(inner: Reader<T>, most?: number): Reader<T[]>;
/** An object with any names. */
export function byName<T>(inner: Reader<T>): Reader<Record<string, T>>;
/** An object, of which these fields are read. */
export function object<F extends Fields>(fields: F): ObjectReader<F>;
export interface ObjectReader<F extends Fields> extends Reader<Shape<F>> {
  fields: F;
}
