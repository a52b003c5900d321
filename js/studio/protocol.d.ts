/** The error for a message that does not follow the protocol. */
export class ProtocolError extends Error {
  code: "invalid_message";
}
/** Reads a request from the other end, with its known fields only. Throws a {@link ProtocolError}. */
export function readRequest(message: unknown): { id: number; method: string; params: Record<string, any> };
/** Reads the answer to a method, with its known fields only. Throws a {@link ProtocolError}. */
export function readAnswer(method: string, answer: unknown): any;
/** The readers of request and answer of every method. */
export const METHODS: Readonly<Record<string, { request(value: unknown, path: string): any; answer(value: unknown, path: string): any }>>;
