"""What columns are for, and the kinds of personal data that they hold."""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """What a column is for."""

    ID = "id"
    TIME = "time"
    MEASURE = "measure"
    MONEY = "money"
    PERCENT = "percent"
    CATEGORY = "category"
    TEXT = "text"
    BOOLEAN = "boolean"
    GEOGRAPHIC = "geographic"
    PERSONAL = "personal"


class PersonalKind(StrEnum):
    """What kind of personal data a column holds."""

    EMAIL = "email"
    PHONE = "phone"
    CARD = "card"
    IBAN = "iban"
    NATIONAL_ID = "national_id"
    IP_ADDRESS = "ip_address"
    NAME = "name"
    ADDRESS = "address"
    BIRTH_DATE = "birth_date"
