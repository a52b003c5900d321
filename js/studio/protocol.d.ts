/** What is not as it was agreed. */
export class ProtocolError extends Error {
  code: "invalid_message";
}
/** A request that came from the other end, as far as it is known. Throws a {@link ProtocolError}. */
export function readRequest(message: unknown): { id: number; method: string; params: Record<string, any> };
/** What a method answers, as far as it is known. Throws a {@link ProtocolError}. */
export function readAnswer(method: string, answer: unknown): any;
/** Every method with what is asked and what is answered. */
export const METHODS: Readonly<Record<string, { request(value: unknown, path: string): any; answer(value: unknown, path: string): any }>>;
