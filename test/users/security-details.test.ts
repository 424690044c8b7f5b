import { afterAll, beforeAll, expect, test } from "vitest";
import { verifyAnswer } from "../../src/passwords/answer.ts";
import { problemOf } from "../http/problem.ts";
import { type TestPlatform, testPlatform } from "../platform.ts";
import { adminToken, eventsOf, member } from "./people.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await testPlatform();
});
afterAll(() => platform.close());

const QUESTIONS = [
  { question: "What was your first school?", answer: "  Canary   Answer ONE " },
  { question: "What was your first school? ß", answer: "Канарейка-два" },
];

const path = (userId: string) => `/api/security-details/${userId}`;
const set = ({ userId, token }: { userId: string; token: string }, securityQuestions: unknown) =>
  platform.request(path(userId), { method: "PUT", token, json: { securityQuestions } });

test("questions are set, read without their answers, and replaced whole", async () => {
  const user = await member(platform);
  expect(await problemOf(await platform.request(path(user.userId), { token: user.token }))).toEqual({ status: 404, code: "SECURITY_DETAILS_NOT_FOUND_404" });

  for (const questions of [QUESTIONS, QUESTIONS.slice(1)]) {
    const response = await set(user, questions);
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 200,
      body: { userId: user.userId, response: "Security questions set", responseCode: "SECURITY_DETAILS_UPDATED_200" },
    });
    for (const token of [user.token, await adminToken(platform)]) {
      const read = await platform.request(path(user.userId), { token });
      const securityQuestions = questions.map(({ question }) => ({ question }));
      expect({ status: read.status, body: await read.json() }).toEqual({ status: 200, body: { userId: user.userId, securityQuestions } });
    }
  }
  expect((await eventsOf(platform, user.userId)).slice(1)).toEqual(
    [1, 2].map(() => ({ topic: "platform.users", type: "user.security-details-updated", data: { userId: user.userId } })),
  );
});

test("an answer is kept like a password: salted, slow to guess, right in any case and spacing, nowhere readable", async () => {
  const user = await member(platform);
  await set(user, [QUESTIONS[0], { ...QUESTIONS[1], answer: QUESTIONS[0]!.answer }]);
  const [row] = await platform.database.query("SELECT security_questions, users::text AS whole FROM users.users WHERE user_id = $1", [user.userId]);
  const [one, other] = JSON.parse(row?.["security_questions"] ?? "[]") as { answerHash: string }[];
  expect(one?.answerHash).toMatch(/^\$pbkdf2-sha256\$i=100000,r=6\$/);
  expect(one?.answerHash).not.toBe(other?.answerHash);
  expect(await verifyAnswer("canary answer one", one?.answerHash ?? "")).toBe(true);
  expect(await verifyAnswer("canary answer two", one?.answerHash ?? "")).toBe(false);
  expect(row?.["whole"]).not.toMatch(/canary/i);
  expect(JSON.stringify(await platform.database.query("SELECT outbox::text FROM events.outbox AS outbox"))).not.toMatch(/canary/i);
});

test("an administrator may set them; of a user who is not there, nothing is hashed or kept", async () => {
  const user = await member(platform);
  const admin = await adminToken(platform);
  expect((await set({ userId: user.userId, token: admin }, QUESTIONS.slice(0, 1))).status).toBe(200);
  expect(await problemOf(await set({ userId: "USRNOBODY", token: admin }, QUESTIONS))).toEqual({ status: 404, code: "USER_NOT_FOUND_404" });
  expect(await problemOf(await platform.request(path("USRNOBODY"), { token: admin }))).toEqual({ status: 404, code: "USER_NOT_FOUND_404" });
});

test("parallel writers leave one writer's questions, never a mixture", async () => {
  const user = await member(platform);
  const other = platform.instance();
  const sets = Array.from({ length: 3 }, (_, index) => [`${index} first`, `${index} second`].map((question) => ({ question, answer: question })));
  const answers = await Promise.all(
    sets.map((securityQuestions, index) =>
      (index % 2 ? platform : other).request(path(user.userId), { method: "PUT", token: user.token, json: { securityQuestions } }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(sets.map(() => 200));
  const read = (await (await platform.request(path(user.userId), { token: user.token })).json()) as { securityQuestions: { question: string }[] };
  const [writer] = read.securityQuestions[0]?.question ?? "";
  expect(read.securityQuestions).toEqual([{ question: `${writer} first` }, { question: `${writer} second` }]);
  expect((await eventsOf(platform, user.userId)).filter(({ type }) => type === "user.security-details-updated")).toHaveLength(3);
});
