"""Tokens to a tree: a Pratt parser, bounded in depth."""

from __future__ import annotations

from gnomon.analytics.expression.nodes import BINDING, Binary, Call, Column, Literal, Node, Unary
from gnomon.analytics.expression.tokens import ExpressionError, Kind, Token, tokens

DEEPEST = 40
TALLEST = 120
_CONSTANTS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
_INFIX = {"or", "and", "=", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "//", "%", "^"}
_COMPARISONS = {"=", "!=", "<", "<=", ">", ">="}


def parse(text: str) -> Node:
    """Read an expression.

    Raises:
        ExpressionError: with the position, when the text is not an expression.
    """
    if not isinstance(text, str) or not text.strip():  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ExpressionError("The expression is empty", 0, suggestions=("For example: price * quantity",))
    parser = _Parser(tokens(text))
    node = parser.expression(0, 0)
    parser.expect_end()
    return node


class _Parser:
    def __init__(self, stream: list[Token]) -> None:
        self._stream = stream
        self._next = 0
        self._heights: dict[int, int] = {}

    def expression(self, least: int, depth: int) -> Node:
        if depth > DEEPEST:
            raise _too_deep(self._peek().at)
        left = self._prefix(depth)
        compared = False
        while (token := self._peek()).kind is Kind.OPERATOR and token.text in _INFIX:
            power = BINDING[token.text]
            if power <= least:
                break
            if compared and token.text in _COMPARISONS:
                raise ExpressionError(
                    "Comparisons cannot be chained", token.at, suggestions=("Write a < b and b < c.",)
                )
            self._take()
            right = self.expression(power - 1 if token.text == "^" else power, depth + 1)
            left = self._grown(Binary(token.text, left, right, token.at), left, right)
            compared = token.text in _COMPARISONS
        return left

    def _grown(self, node: Node, *children: Node) -> Node:
        """Remember how tall the tree is, so that no walk over it can run out of stack."""
        height = 1 + max((self._heights.get(id(c), 1) for c in children), default=0)
        if height > TALLEST:
            raise _too_deep(node.at)
        self._heights[id(node)] = height
        return node

    def _prefix(self, depth: int) -> Node:
        token = self._take()
        if token.kind is Kind.NUMBER:
            return Literal(_number(token), token.at)
        if token.kind is Kind.TEXT:
            return Literal(token.text, token.at)
        if token.kind is Kind.COLUMN:
            return Column(token.text, token.at)
        if token.kind is Kind.NAME:
            return self._named(token, depth)
        if token.text == "(":
            inner = self.expression(0, depth + 1)
            self._expect(")", token)
            return inner
        if token.text == "-":
            operand = self.expression(BINDING["neg"], depth + 1)
            return self._grown(Unary("neg", operand, token.at), operand)
        if token.text == "+":
            return self.expression(BINDING["neg"], depth + 1)
        if token.text == "not":
            operand = self.expression(BINDING["not"], depth + 1)
            return self._grown(Unary("not", operand, token.at), operand)
        what = "ends" if token.kind is Kind.END else f"has {token.text!r}"
        raise ExpressionError(f"The expression {what} where a value was expected", token.at)

    def _named(self, token: Token, depth: int) -> Node:
        following = self._peek()
        if following.kind is Kind.OPERATOR and following.text == "(":
            self._take()
            arguments = self._arguments(following, depth)
            return self._grown(Call(token.text.casefold(), arguments, token.at), *arguments)
        word = token.text.casefold()
        return Literal(_CONSTANTS[word], token.at) if word in _CONSTANTS else Column(token.text, token.at)

    def _arguments(self, opening: Token, depth: int) -> tuple[Node, ...]:
        out: list[Node] = []
        if self._peek().kind is Kind.OPERATOR and self._peek().text == ")":
            self._take()
            return ()
        while True:
            out.append(self.expression(0, depth + 1))
            token = self._peek()
            if token.kind is Kind.OPERATOR and token.text == ",":
                self._take()
                continue
            self._expect(")", opening)
            return tuple(out)

    def expect_end(self) -> None:
        token = self._peek()
        if token.kind is not Kind.END:
            raise ExpressionError(
                f"An operator was expected before {token.text!r}",
                token.at,
                suggestions=("Write column names with spaces in `backticks`.",),
            )

    def _expect(self, text: str, opening: Token) -> None:
        token = self._take()
        if token.kind is not Kind.OPERATOR or token.text != text:
            raise ExpressionError("The bracket opened here is never closed", opening.at)

    def _peek(self) -> Token:
        return self._stream[self._next]

    def _take(self) -> Token:
        token = self._stream[self._next]
        self._next = min(self._next + 1, len(self._stream) - 1)
        return token


def _too_deep(at: int) -> ExpressionError:
    return ExpressionError(
        "The expression is nested too deeply", at, suggestions=("Split it into several derived columns.",)
    )


def _number(token: Token) -> float | int:
    value = int(token.text) if token.text.isascii() and token.text.isdigit() else float(token.text)
    if not abs(value) <= 1e300:
        raise ExpressionError(f"{token.text[:20]} is too large a number", token.at)
    return value
